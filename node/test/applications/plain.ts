/** Reads a file without anything of the package. */
import fs from "node:fs/promises";

console.log((await fs.readFile(import.meta.filename)).length > 0 ? "read" : "empty");
