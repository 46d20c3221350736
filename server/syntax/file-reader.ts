/** Reads one file after the other into the same bytes: most are small, and a walk meets thousands. */
import { closeSync, readSync } from "node:fs";
import { openPlain } from "./index/crawl.ts";

export class FileReader {
  #bytes = Buffer.allocUnsafe(1 << 18);

  /**
   * @param size as it was seen, in bytes
   * @param most a file that turns out longer is not read, bytes
   * @returns good until the next file is read, with room for one byte more; null where it cannot be read
   */
  read(path: string, size: number, most: number): { readonly bytes: Buffer; readonly length: number } | null {
    let file: number;
    try {
      file = openPlain(path);
    } catch {
      return null;
    }
    try {
      if (this.#bytes.length < size + 2) this.#bytes = Buffer.allocUnsafe(size * 2);
      let length = 0;
      for (;;) {
        const read = readSync(file, this.#bytes, length, this.#bytes.length - 1 - length, null);
        length += read;
        // One call in most cases: all of it, as the size said.
        if (read === 0 || length === size) return { bytes: this.#bytes, length };
        if (length > most) return null;
        if (length === this.#bytes.length - 1)
          this.#bytes = Buffer.concat([this.#bytes, Buffer.allocUnsafe(this.#bytes.length)]);
      }
    } catch {
      return null;
    } finally {
      closeSync(file);
    }
  }
}
