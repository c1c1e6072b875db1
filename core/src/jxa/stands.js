// The values of the object that another one stands for: nothing if the two differ.
const standsFor = (owner, same, reads) => {
  const one = (x) => {
    const is = owner(x);
    return ask(() => same(is)) === same(x) ? reads.map((each) => ask(() => each(is))) : null;
  };
  return through(one, (x) => owner(x)(), false);
};
