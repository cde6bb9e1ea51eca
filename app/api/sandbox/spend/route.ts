import { buildPaymentsContract } from "@/lib/contracts/build-payments";
import { route, routes } from "@/lib/http/route";
import { buildPayments } from "@/lib/services/build-payments";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = routes(route(buildPayments, buildPaymentsContract));
