/** "Did you mean": the known word that a wrong one is a slip of. */

/** The nearest of the words by edits (case aside), or null when none is near enough to be meant. */
export function nearest(wrong: string, words: Iterable<string>): string | null {
  let best: string | null = null;
  let least = Math.max(1, Math.floor(Math.min(wrong.length, 64) / 3)) + 1;
  for (const word of words) {
    const distance = edits(wrong.toLowerCase(), word.toLowerCase(), least);
    if (distance < least) [best, least] = [word, distance];
  }
  return best;
}

/** Levenshtein's distance, a swap of neighbours counted as one; `limit` when it is not less. */
function edits(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, (before[j - 2] ?? limit) + 1);
      row.push(cost);
    }
    [before, last] = [last, row];
  }
  return Math.min(limit, last[b.length] ?? limit);
}
