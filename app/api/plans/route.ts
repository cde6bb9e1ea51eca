import { listPlansContract } from "@/lib/contracts/list-plans";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { listPlans } from "@/lib/services/list-plans";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(bindRoute(listPlans, listPlansContract));
