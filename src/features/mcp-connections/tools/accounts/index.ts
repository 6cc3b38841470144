export {
  type AccountChange,
  type AccountTool,
  approveVariants,
  list,
  listVariants,
  removeOf,
  replace,
  see,
  selectVariants,
  setRemoved,
  type Variant,
} from "./store.ts";
