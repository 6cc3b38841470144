import { removeClients } from "./registration/index.ts";

export const jobs = [removeClients];
