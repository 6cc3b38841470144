/** Who may use a connection. Accounts and automations follow this rule, and neither can import the other. */
export { isUsableBy } from "./store.ts";
