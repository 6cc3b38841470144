/** What one statement of an export has read. */
export interface Batch<Row, Position> {
  rows: Row[];
  /** Where the next batch begins. Undefined after the last one. */
  next: Position | undefined;
  /** True when rows were left out because of their bytes. */
  isFull: boolean;
}

/** The rows that a statement examines: the first one, and the largest. */
const firstCount = 50;
const maxCount = 500;

/**
 * Reads everything from a position on, with a statement for each batch. The next one is read when the caller asks for it.
 * The database computes the size of each row that it examines, so after a full batch it examines only about as many as
 * fit.
 */
export async function* readBatches<Row, Position>(
  first: Position,
  read: (after: Position, count: number) => Promise<Batch<Row, Position>>,
): AsyncGenerator<Row[], void> {
  let count = firstCount;
  for (let after: Position | undefined = first; after !== undefined; ) {
    const { rows, next, isFull }: Batch<Row, Position> = await read(after, count);
    if (rows.length > 0) yield rows;
    after = next;
    count = isFull ? Math.max(1, rows.length) : Math.min(2 * count, maxCount);
  }
}
