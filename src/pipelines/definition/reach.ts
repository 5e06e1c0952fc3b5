/** Questions about ways through a graph, by the keys of its nodes. Iterative throughout: a file may have a chain of thousands. */

export interface Arrow {
  readonly from: string;
  readonly to: string;
}

/** For each node where its arrows lead, in their order. */
export function successorsOf(arrows: readonly Arrow[]): ReadonlyMap<string, readonly string[]> {
  const successors = new Map<string, string[]>();
  for (const { from, to } of arrows) {
    const known = successors.get(from);
    if (known === undefined) {
      successors.set(from, [to]);
    } else {
      known.push(to);
    }
  }
  return successors;
}

/** All nodes on the ways from this one, itself included. @param without a node that no way leads through. */
export function reachableFrom(
  start: string,
  successors: ReadonlyMap<string, readonly string[]>,
  without?: string,
): ReadonlySet<string> {
  const found = new Set<string>();
  const open = start === without ? [] : [start];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (!found.has(node)) {
      found.add(node);
      open.push(...(successors.get(node) ?? []).filter((next) => next !== without));
    }
  }
  return found;
}

/** A cycle for each node at which a walk in depth meets its own way again; none if there is no cycle at all. First node = last node. */
export function cyclesIn(
  nodes: Iterable<string>,
  successors: ReadonlyMap<string, readonly string[]>,
): readonly (readonly string[])[] {
  const done = new Set<string>();
  const cycles: (readonly string[])[] = [];
  for (const root of nodes) {
    const way: { readonly node: string; readonly rest: string[] }[] = [];
    const enter = (node: string): void => {
      way.push({ node, rest: [...(successors.get(node) ?? [])] });
    };
    if (!done.has(root)) {
      enter(root);
    }
    const onWay = new Map([[root, 0]]);
    for (let top = way.at(-1); top !== undefined; top = way.at(-1)) {
      const next = top.rest.shift();
      if (next === undefined) {
        done.add(top.node);
        onWay.delete(top.node);
        way.pop();
        continue;
      }
      const seenAt = onWay.get(next);
      if (seenAt !== undefined) {
        cycles.push([...way.slice(seenAt).map(({ node }) => node), next]);
      } else if (!done.has(next)) {
        onWay.set(next, way.length);
        enter(next);
      }
    }
  }
  return cycles;
}
