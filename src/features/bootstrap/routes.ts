import { on } from "../../platform/http/index.ts";
import { signInPage } from "../auth/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.create, (ctx, { body }) => service.create(ctx, body)),
  on(contract.createClaim, (ctx) => service.createClaim(ctx)),
  on(contract.acceptClaim, (ctx, { body }) => service.acceptClaim(ctx, body)),
  on(contract.claimPage, () =>
    signInPage({
      title: "Claim this workspace",
      lead: "An agent made a workspace and gave you this link. Sign in, or make an account, to become its owner.",
      action: "Become the owner",
      path: contract.acceptClaim.path,
      done: "The workspace is yours now, with everything in it.",
    }),
  ),
];
