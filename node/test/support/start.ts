import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Result of a process. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Files that it left in the folder for temporary files. */
  readonly left: readonly string[];
}

/** Options of a start. */
export interface StartOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Arguments of Node before the preload. */
  readonly before?: readonly string[];
  /** Preload; default: that of the package by its path. */
  readonly preload?: string;
  /** Arguments of Node after the preload. */
  readonly after?: readonly string[];
  readonly arguments?: readonly string[];
  /** Limit of open files. */
  readonly descriptors?: number;
  /** Program that starts the shell of the process, with its options. */
  readonly within?: readonly string[];
  /** Commands of the shell before the process, each with its end. */
  readonly first?: string;
  /** Signal that is sent when the application has written its first line. */
  readonly signal?: NodeJS.Signals;
}

/** Preload of the package. */
export const REGISTER = fileURLToPath(new URL("../../src/register.cjs", import.meta.url));

/** Folder of the package. */
const PACKAGE = fileURLToPath(new URL("../../..", import.meta.url));

/** Starts `--import poolkeeper/register` with an application of `test/applications`, and waits until it ends. */
export async function start(application: string, options: StartOptions = {}): Promise<Ended> {
  const temporary = mkdtempSync(join(tmpdir(), "poolkeeper-test-"));
  const path = fileURLToPath(new URL(`../applications/${application}.js`, import.meta.url));
  const command = [
    process.execPath,
    ...(options.before ?? []),
    "--import",
    options.preload ?? REGISTER,
    ...(options.after ?? []),
    path,
  ];
  const limit = options.descriptors === undefined ? "" : `ulimit -n ${options.descriptors}; `;
  const env: NodeJS.ProcessEnv = { ...process.env, TMPDIR: temporary, ...options.env };
  // The runner of the tests marks its children, which would then report in its own format.
  delete env["NODE_TEST_CONTEXT"];
  const script = `${options.first ?? ""}${limit}exec "$@"`;
  const shell = [...(options.within ?? []), "/bin/sh", "-c", script, "sh"];
  const child = spawn(shell[0] ?? "", [...shell.slice(1), ...command, ...(options.arguments ?? [])], {
    env,
    cwd: PACKAGE,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 600_000, // Against a hang alone: the machine may be busy.
    killSignal: "SIGKILL",
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (stdout === "" && options.signal !== undefined) {
      child.kill(options.signal);
    }
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      const left = readdirSync(temporary);
      rmSync(temporary, { recursive: true });
      resolve({ code, signal, stdout, stderr, left });
    });
  });
}
