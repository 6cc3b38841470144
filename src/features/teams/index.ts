export { routes } from "./routes.ts";
export { addTo as addToTeams, countThere as countTeams, granteesOf } from "./store.ts";
