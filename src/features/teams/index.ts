export { routes } from "./routes.ts";
export { rightsToAdd } from "./service.ts";
export { addTo as addToTeams, countThere as countTeams, granteesOf } from "./store.ts";
