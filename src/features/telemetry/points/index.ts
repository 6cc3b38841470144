export type { CumulativePoint } from "./difference.ts";
export { recordPoints } from "./service.ts";
export {
  removeOld as removeOldPoints,
  removeSome as removeSomePoints,
  removeUnchanged as removeUnchangedPoints,
} from "./store.ts";
