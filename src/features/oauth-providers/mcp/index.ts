export {
  changeMcpProvider,
  claimMcpAccount,
  confirmMcpStart,
  disconnectMcpAccount,
  handleMcpCallback,
  removeMcpProvider,
  saveMcpProvider,
  startMcp,
} from "./service.ts";
