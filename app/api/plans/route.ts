import { listPlansContract } from "@/lib/contracts/list-plans";
import { route, routes } from "@/lib/http/route";
import { listPlans } from "@/lib/services/list-plans";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = routes(route(listPlans, listPlansContract));
