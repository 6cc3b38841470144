export {
  changeMcpProvider,
  claimMcpAccount,
  confirmMcpStart,
  disconnectMcpAccount,
  handleMcpCallback,
  type OnMcpConnected,
  removeMcpProvider,
  saveMcpProvider,
  startMcp,
} from "./service.ts";
