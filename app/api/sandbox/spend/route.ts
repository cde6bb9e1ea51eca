import { buildPaymentsContract } from "@/lib/contracts/build-payments";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { buildPayments } from "@/lib/services/build-payments";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(
  bindRoute(buildPayments, buildPaymentsContract),
);
