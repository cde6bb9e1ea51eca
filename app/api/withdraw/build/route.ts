import { buildWithdrawContract } from "@/lib/contracts/build-withdraw";
import { route, routes } from "@/lib/http/route";
import { buildWithdraw } from "@/lib/services/build-withdraw";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = routes(route(buildWithdraw, buildWithdrawContract));
