package io.poolkeeper.spring;

import io.poolkeeper.spring.settings.NearestName;
import io.poolkeeper.spring.settings.WholeNumber;
import java.util.List;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;

/**
 * Refuses a change with a field that the endpoint {@code poolkeeper} does not have, or with a
 * number that is none. Spring Boot passes such fields over, so a mistyped one would have no effect,
 * without a word, and refuses such numbers without a reason.
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
    List<String> numbers =
        parameters.stream()
            .filter(parameter -> parameter.getType() == Integer.class)
            .map(OperationParameter::getName)
            .toList();
    return context -> invoke(context, fields, numbers, invoker);
  }

  private static Object invoke(
      InvocationContext context,
      List<String> fields,
      List<String> numbers,
      OperationInvoker invoker) {
    for (String field : context.getArguments().keySet()) {
      if (!field.equals(SELECTOR) && !fields.contains(field)) {
        return PoolkeeperEndpoint.refusal(
            "no field '%s': did you mean '%s'? Nothing was changed"
                .formatted(field, NearestName.of(field, fields).orElseThrow()));
      }
    }
    for (String field : numbers) {
      Object value = context.getArguments().get(field);
      if (value != null && !WholeNumber.is(value.toString())) {
        return PoolkeeperEndpoint.refusal(
            String.valueOf(WholeNumber.required(field, value).getMessage()));
      }
    }
    return invoker.invoke(context);
  }
}
