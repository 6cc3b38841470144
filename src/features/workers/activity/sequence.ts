/** After a sequence of this or more, one below it starts again. So no number locks a worker out. */
export const restartSequence = 2 ** 52;

/** Whether a heartbeat comes after another one. */
export const isAfter = (sequence: number, earlier: number): boolean =>
  sequence > earlier || (earlier >= restartSequence && sequence < restartSequence);
