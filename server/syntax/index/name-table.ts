/**
 * The names of an index, each once, as bytes in one arena: a number for a name, and names by number, by beginning, without
 * regard to case. Names that fall out of use stay until the table is made anew.
 */
import { hashOf } from "../lexis.ts";

export type NameId = number;

/** Longer names are cut, where they are put in and where they are looked for, bytes. */
const MAX_BYTES = 512;

/** ASCII capitals to small letters. */
export const LOWER = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte));

export class NameTable {
  #arena: Uint8Array;
  /** Where a name begins in the arena; it ends where the next one begins. */
  #offsets: Uint32Array;
  #hashes: Int32Array;
  /** Open addressing: 0, or the number of a name and one. */
  #slots: Int32Array;
  #mask: number;
  #size = 0;
  #order: Uint32Array = new Uint32Array(0);
  /** The arena in small letters, as far as it was filled when a text was last looked for in it. */
  #folded: Buffer = Buffer.alloc(0);
  /** Names with more than ASCII in them, among the first `#ordered`. */
  #wide: NameId[] = [];
  #ordered = 0;

  constructor(arena: Uint8Array = new Uint8Array(1 << 16), lengths: Uint16Array = new Uint16Array(0)) {
    this.#arena = arena;
    const capacity = Math.max(1 << 12, lengths.length);
    this.#offsets = new Uint32Array(capacity + 1);
    this.#hashes = new Int32Array(capacity);
    this.#slots = new Int32Array(slotsFor(capacity));
    this.#mask = this.#slots.length - 1;
    for (const length of lengths) {
      const start = this.#offsets[this.#size] ?? 0;
      const hash = mixed(hashOf(arena, start, start + length));
      this.#hashes[this.#size] = hash;
      this.#offsets[++this.#size] = start + length;
      this.#place(hash, this.#size);
    }
  }

  get size(): number {
    return this.#size;
  }

  /** Of the arrays, in bytes. */
  get bytes(): number {
    const arrays = [this.#arena, this.#offsets, this.#hashes, this.#slots, this.#order, this.#folded];
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** The number of a name, a new one if need be. */
  intern(bytes: Uint8Array, start: number, end: number, hash: number): NameId {
    const last = Math.min(end, start + MAX_BYTES);
    const own = mixed(last === end ? hash : hashOf(bytes, start, last));
    const found = this.#lookUp(bytes, start, last, own);
    return found >= 0 ? found : this.#add(bytes, start, last, own);
  }

  /** -1 where there is no such name. */
  find(name: string): NameId {
    const bytes = Buffer.from(name);
    const end = Math.min(bytes.length, MAX_BYTES);
    return end === 0 ? -1 : this.#lookUp(bytes, 0, end, mixed(hashOf(bytes, 0, end)));
  }

  text(id: NameId): string {
    const { buffer, byteOffset } = this.#arena;
    const start = this.#offsets[id] ?? 0;
    return Buffer.from(buffer, byteOffset + start, this.lengthOf(id)).toString("utf8");
  }

  /** In bytes. */
  lengthOf(id: NameId): number {
    return (this.#offsets[id + 1] ?? 0) - (this.#offsets[id] ?? 0);
  }

  /** The bytes of all names, until one is added. */
  get arena(): Uint8Array {
    return this.#arena;
  }

  /** Where a name begins in the arena. */
  startOf(id: NameId): number {
    return this.#offsets[id] ?? 0;
  }

  /** All names that begin with a text, without regard to case; ASCII names in that order, then the others. */
  beginningWith(prefix: string): readonly NameId[] {
    this.#sort();
    const bytes = Buffer.from(prefix.toLowerCase());
    const found: NameId[] = [];
    if (isAscii(bytes))
      for (let i = this.#firstAfter(bytes); i < this.#order.length && this.#begins(this.#order[i] ?? 0, bytes); i++)
        found.push(this.#order[i] ?? 0);
    for (const id of this.others()) if (this.text(id).toLowerCase().startsWith(prefix.toLowerCase())) found.push(id);
    return found;
  }

  /** All spellings of a name in capitals and small letters. */
  spellings(name: string): readonly NameId[] {
    this.#sort();
    const folded = name.toLowerCase();
    const bytes = Buffer.from(folded);
    const found: NameId[] = [];
    // Of names with the same beginning the shortest come first.
    if (isAscii(bytes))
      for (let i = this.#firstAfter(bytes); i < this.#order.length; i++) {
        const id = this.#order[i] ?? 0;
        if (this.lengthOf(id) !== bytes.length || !this.#begins(id, bytes)) break;
        found.push(id);
      }
    for (const id of this.others()) if (this.text(id).toLowerCase() === folded) found.push(id);
    return found;
  }

  /** Names in which a text stands, both folded; of names with more than ASCII in them, `others` knows better. */
  containing(text: Uint8Array): readonly NameId[] {
    const end = this.#offsets[this.#size] ?? 0;
    if (this.#folded.length !== end) {
      this.#folded = Buffer.from(this.#arena.subarray(0, end));
      for (let i = 0; i < end; i++) this.#folded[i] = LOWER[this.#folded[i] ?? 0] ?? 0;
    }
    const found: NameId[] = [];
    for (let at = this.#folded.indexOf(text); at >= 0; at = this.#folded.indexOf(text, at)) {
      const id = this.#nameAt(at);
      const next = this.#offsets[id + 1] ?? 0;
      // It may reach into the next name.
      if (at + text.length > next) at++;
      else {
        found.push(id);
        at = next;
      }
    }
    return found;
  }

  /** Names that are not in the order of bytes: with more than ASCII in them, or too new. */
  *others(): Iterable<NameId> {
    this.#sort();
    yield* this.#wide;
    for (let id = this.#ordered; id < this.#size; id++) yield id;
  }

  /** What the constructor takes: the arena without what is unused, and the lengths of the names. */
  parts(): { readonly arena: Uint8Array; readonly lengths: Uint16Array } {
    const lengths = new Uint16Array(this.#size);
    for (let id = 0; id < this.#size; id++) lengths[id] = this.lengthOf(id);
    return { arena: this.#arena.subarray(0, this.#offsets[this.#size]), lengths };
  }

  /** A table of some of the names, in their order. */
  kept(isKept: (id: NameId) => boolean): NameTable {
    const ids = Array.from({ length: this.#size }, (_, id) => id).filter(isKept);
    const lengths = Uint16Array.from(ids, (id) => this.lengthOf(id));
    const arena = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
    let at = 0;
    for (const id of ids) {
      arena.set(this.#arena.subarray(this.#offsets[id], this.#offsets[id + 1]), at);
      at += this.lengthOf(id);
    }
    return new NameTable(arena, lengths);
  }

  #lookUp(bytes: Uint8Array, start: number, end: number, hash: number): NameId {
    const length = end - start;
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const id = (this.#slots[slot] ?? 0) - 1;
      if (id < 0) return -1;
      if (this.#hashes[id] !== hash) continue;
      const from = this.#offsets[id] ?? 0;
      if ((this.#offsets[id + 1] ?? 0) - from !== length) continue;
      let i = 0;
      while (i < length && this.#arena[from + i] === bytes[start + i]) i++;
      if (i === length) return id;
    }
  }

  #add(bytes: Uint8Array, start: number, end: number, hash: number): NameId {
    const id = this.#size;
    if (id === this.#hashes.length) this.#grow();
    const from = this.#offsets[id] ?? 0;
    const until = from + end - start;
    if (until > this.#arena.length)
      this.#arena = grown(this.#arena, new Uint8Array(Math.max(until, this.#arena.length * 2)));
    for (let i = start; i < end; i++) this.#arena[from + i - start] = bytes[i] ?? 0;
    this.#hashes[id] = hash;
    this.#offsets[id + 1] = until;
    this.#size++;
    this.#place(hash, this.#size);
    return id;
  }

  #place(hash: number, value: number): void {
    let slot = hash & this.#mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#mask;
    this.#slots[slot] = value;
  }

  #grow(): void {
    const capacity = this.#size * 2;
    this.#hashes = grown(this.#hashes, new Int32Array(capacity));
    this.#offsets = grown(this.#offsets, new Uint32Array(capacity + 1));
    this.#slots = new Int32Array(slotsFor(capacity));
    this.#mask = this.#slots.length - 1;
    for (let id = 0; id < this.#size; id++) this.#place(this.#hashes[id] ?? 0, id + 1);
  }

  // ---- Order ----------------------------------------------------------------------------------------------------------

  /** Anew when so many names have come that looking through those costs more. */
  #sort(): void {
    if (this.#size - this.#ordered <= this.#ordered / 16) return;
    const narrow = new Uint32Array(this.#size);
    let count = 0;
    this.#wide = [];
    for (let id = 0; id < this.#size; id++)
      if (this.isAscii(id)) narrow[count++] = id;
      else this.#wide.push(id);
    this.#ordered = this.#size;
    this.#order = narrow.slice(0, count);
    this.#sortFrom(0, count, 0);
  }

  /** Quicksort of strings (Bentley and Sedgewick): by one byte at a time, those with the same one by the next. */
  #sortFrom(from: number, to: number, depth: number): void {
    const order = this.#order;
    let [low, high] = [from, to];
    for (let at = depth; high - low > 1; ) {
      const pivot = this.#byteAt(order[(low + high) >>> 1] ?? 0, at);
      let [less, i, more] = [low, low, high];
      while (i < more) {
        const id = order[i] ?? 0;
        const difference = this.#byteAt(id, at) - pivot;
        if (difference === 0) i++;
        else {
          const other = difference < 0 ? less++ : --more;
          order[i] = order[other] ?? 0;
          order[other] = id;
          if (difference < 0) i++;
        }
      }
      this.#sortFrom(low, less, at);
      this.#sortFrom(more, high, at);
      if (pivot < 0) return;
      [low, high] = [less, more];
      at++;
    }
  }

  /** Folded; -1 behind the end. */
  #byteAt(id: NameId, index: number): number {
    const at = (this.#offsets[id] ?? 0) + index;
    return at < (this.#offsets[id + 1] ?? 0) ? (LOWER[this.#arena[at] ?? 0] ?? 0) : -1;
  }

  /** The name that has a byte of the arena. */
  #nameAt(place: number): NameId {
    let low = 0;
    let high = this.#size - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#offsets[middle] ?? 0) <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The place in the order of the first name that is not before some folded bytes. */
  #firstAfter(bytes: Uint8Array): number {
    let low = 0;
    let high = this.#order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isBefore(this.#order[middle] ?? 0, bytes)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #isBefore(id: NameId, bytes: Uint8Array): boolean {
    const start = this.#offsets[id] ?? 0;
    const length = this.lengthOf(id);
    for (let i = 0; i < bytes.length; i++) {
      if (i === length) return true;
      const difference = (LOWER[this.#arena[start + i] ?? 0] ?? 0) - (bytes[i] ?? 0);
      if (difference !== 0) return difference < 0;
    }
    return false;
  }

  #begins(id: NameId, bytes: Uint8Array): boolean {
    const start = this.#offsets[id] ?? 0;
    if (this.lengthOf(id) < bytes.length) return false;
    for (let i = 0; i < bytes.length; i++) if (LOWER[this.#arena[start + i] ?? 0] !== bytes[i]) return false;
    return true;
  }

  isAscii(id: NameId): boolean {
    const end = this.#offsets[id + 1] ?? 0;
    for (let i = this.#offsets[id] ?? 0; i < end; i++) if ((this.#arena[i] ?? 0) >= 0x80) return false;
    return true;
  }
}

function slotsFor(capacity: number): number {
  return 2 ** Math.ceil(Math.log2(capacity * 2));
}

/** The low bits decide about the slot. */
function mixed(hash: number): number {
  const some = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return some ^ (some >>> 13);
}

function isAscii(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte < 0x80);
}

function grown<A extends Uint8Array | Int32Array | Uint32Array>(from: A, to: A): A {
  to.set(from);
  return to;
}
