import { getSpendingContract } from "@/lib/contracts/get-spending";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { getSpending } from "@/lib/services/get-spending";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(
  bindRoute(getSpending, getSpendingContract),
);
