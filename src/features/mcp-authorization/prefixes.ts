export const accessTokenPrefix = "sba_";
export const refreshTokenPrefix = "sbf_";
