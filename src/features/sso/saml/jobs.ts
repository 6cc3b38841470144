import { job } from "../../../platform/jobs/index.ts";
import { warnAboutCertificates } from "./certificates.ts";
import { checkDueMetadata } from "./metadata.ts";

export const jobs = [
  job({ name: "sso.metadata", schedule: "4-59/10 * * * *", handle: checkDueMetadata }),
  job({ name: "sso.certificates", schedule: "17 6 * * *", handle: warnAboutCertificates }),
];
