package io.poolkeeper.spring;

import io.poolkeeper.spring.settings.NearestName;
import java.util.List;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;

/**
 * Refuses a change with a field that the endpoint {@code poolkeeper} does not have. Spring Boot
 * passes such fields over, so a mistyped one would have no effect, without a word.
 */
final class UnknownFields implements OperationInvokerAdvisor {

  private static final EndpointId ENDPOINT = EndpointId.of("poolkeeper");

  /** Parameter that comes with the address. Spring Boot lets a field of this name replace it. */
  private static final String SELECTOR = "poolName";

  @Override
  public OperationInvoker apply(
      EndpointId endpoint,
      OperationType type,
      OperationParameters parameters,
      OperationInvoker invoker) {
    if (type != OperationType.WRITE || !endpoint.equals(ENDPOINT)) {
      return invoker;
    }
    List<String> fields =
        parameters.stream()
            .map(OperationParameter::getName)
            .filter(name -> !name.equals(SELECTOR))
            .toList();
    return context -> invoke(context, fields, invoker);
  }

  private static Object invoke(
      InvocationContext context, List<String> fields, OperationInvoker invoker) {
    for (String field : context.getArguments().keySet()) {
      if (!field.equals(SELECTOR) && !fields.contains(field)) {
        return PoolkeeperEndpoint.refusal(
            "no field '%s': did you mean '%s'? Nothing was changed"
                .formatted(field, NearestName.of(field, fields).orElseThrow()));
      }
    }
    return invoker.invoke(context);
  }
}
