// Stands behind the prelude in scripts of commands whose objects a human was shown, or that move something.

const lost = number => number === -1728 || number === -1719;
// The first object that is not what a human was shown; null if all are. What is gone the command itself will miss.
const other = (seen, ways, reads) => {
  at = "object";
  // However little of the answer is wanted, what a human was shown is compared whole.
  const text = d.text;
  d.text = null;
  for (let i = 0; i < seen.length; i += 1) {
    const [way, which, p, shown] = seen[i], is = read(ways[way](p), reads[which]);
    if (is.length > 0 && is.every(each => isFailed(each) && lost(each.number))) continue;
    if (JSON.stringify(is) !== JSON.stringify(shown)) return { $: "other", at: i };
  }
  d.text = text;
  return null;
};
