/** Thrown when a tool refuses a request. The model and its user read the message. */
export class Refusal extends Error {
  override name = "Refusal";
}
