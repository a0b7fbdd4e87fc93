import { pbkdf2 } from "node:crypto";
import dns from "node:dns/promises";
import fs from "node:fs/promises";
import { promisify } from "node:util";

/** Kind of job: reads a file, and most write a copy. */
export interface Workload {
  /** Bytes of a file. */
  readonly bytes: number;
  /** Does one job: `source` is a file to read, `copy` the path of a copy, which is deleted again. */
  run(source: string, copy: string, job: number): Promise<void>;
}

const hash = promisify(pbkdf2);

async function copyPiecewise(source: string, copy: string, piece: number, sync: boolean): Promise<void> {
  const buffer = Buffer.allocUnsafe(piece);
  const input = await fs.open(source);
  try {
    const output = await fs.open(copy, "w");
    try {
      for (;;) {
        const { bytesRead } = await input.read(buffer, 0, piece);
        if (bytesRead === 0) {
          break;
        }
        await output.write(buffer, 0, bytesRead);
        if (sync) {
          await output.sync();
        }
      }
    } finally {
      await output.close();
    }
  } finally {
    await input.close();
    await fs.rm(copy, { force: true });
  }
}

function copying(bytes: number, piece: number, sync = true): Workload {
  return { bytes, run: (source, copy) => copyPiecewise(source, copy, piece, sync) };
}

/**
 * Workloads of Timm 2021 through fs.promises, and a service that mixes files with computing and names: of five jobs
 * three read a file, one derives a key, one looks up the own host.
 */
export const WORKLOADS: Partial<Record<string, Workload>> = {
  read_2mb: {
    bytes: 2_000_000,
    run: async (source) => {
      await fs.readFile(source);
    },
  },
  rw_10mb: copying(10_000_000, 10_000_000),
  rw_2mb: copying(2_000_000, 2_000_000),
  rw_buf_2mb: copying(2_000_000, 4096),
  rw_nosync_2mb: copying(2_000_000, 2_000_000, false),
  rw_100kb: copying(100_000, 100_000),
  rw_4kb: copying(4096, 4096),
  mixed: {
    bytes: 100_000,
    run: async (source, _copy, job) => {
      if (job % 5 === 3) {
        await hash("password", "salt", 2_000, 32, "sha256");
      } else if (job % 5 === 4) {
        await dns.lookup("localhost");
      } else {
        await fs.readFile(source);
      }
    },
  },
};
