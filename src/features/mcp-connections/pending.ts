/** For routes whose contract is there before their handler. */
export const notBuilt = (): never => {
  throw new Error("not built yet");
};
