import { getSpendingContract } from "@/lib/contracts/get-spending";
import { route, routes } from "@/lib/http/route";
import { getSpending } from "@/lib/services/get-spending";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = routes(route(getSpending, getSpendingContract));
