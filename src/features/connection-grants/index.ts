/** Who may use a connection. Accounts and automations follow this rule, and neither can import the other. */
export { isAccount, isUsableBy } from "./store.ts";
