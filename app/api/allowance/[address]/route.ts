import { getAllowanceContract } from "@/lib/contracts/get-allowance";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { getAllowance } from "@/lib/services/get-allowance";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(
  bindRoute(getAllowance, getAllowanceContract),
);
