export {
  type BoundFilter,
  bindFilter,
  bindValueFilter,
  type Condition,
  foldCase,
  type Step,
} from "./bind.ts";
export { matches } from "./evaluate.ts";
export { type Filter, parseFilter, parsePath } from "./parse.ts";
