/** The texts of a capability that a search reads. */
export interface Searchable {
  name: string;
  title: string;
  description: string;
  connection: string;
}

const maxWords = 16;
const readDescription = 2_000;

const splitWords = (text: string) =>
  text
    // `createIssue` has two words.
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");

/** The points of a word for each text that has it: as a word, as the beginning of one, or anywhere. */
const points = { name: [10, 6, 3], title: [6, 4, 2], connection: [5, 3, 1], description: [3, 2, 1] } as const;

/**
 * Returns a function that rates how well a text matches the query. 0 means not at all. A text that has all words is
 * rated above any text that has only some of them.
 */
export function createRanking(query: string): (text: Searchable) => number {
  const words = [...new Set(splitWords(query))].slice(0, maxWords);
  return (text) => {
    const fields = ([...Object.keys(points)] as (keyof typeof points)[]).map((field) => {
      const all = text[field].slice(0, readDescription);
      return { weights: points[field], text: all.toLowerCase(), words: splitWords(all) };
    });
    const rated = words.map((word) => {
      let sum = 0;
      for (const { weights, text, words } of fields) {
        if (words.includes(word)) sum += weights[0];
        else if (words.some((found) => found.startsWith(word))) sum += weights[1];
        else if (text.includes(word)) sum += weights[2];
      }
      return sum;
    });
    const found = rated.filter((sum) => sum > 0);
    const total = found.reduce((sum, points) => sum + points, 0);
    return found.length === words.length && words.length > 0 ? total + 1_000 : total;
  };
}
