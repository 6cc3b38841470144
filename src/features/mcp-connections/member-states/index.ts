export {
  countAsWorking,
  credentialTime,
  findStaticCredential,
  mineState,
  mineStateOf,
  removeCredential,
  saveCredential,
  saveState,
} from "./store.ts";
