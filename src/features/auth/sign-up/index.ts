export { offersSignUp, signUp } from "./service.ts";
