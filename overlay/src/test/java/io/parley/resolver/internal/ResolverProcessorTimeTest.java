package io.parley.resolver.internal;

import static org.assertj.core.api.Assertions.catchThrowable;

import io.parley.common.internal.DuplicateFilter;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.testkit.CollidingNames;
import io.parley.testkit.ManualScheduler;
import io.parley.testkit.ProcessorTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The processor time of a resolver message is linear in the number of its elements. */
class ResolverProcessorTimeTest {

    @ParameterizedTest
    @ValueSource(strings = {ResolverMessageFormat.NAMESPACE, "body"})
    void elements(String namespace) {
        ProcessorTime.assertLinear("elements in the namespace " + namespace, 2000, n -> {
            Message.Builder message = Message.builder();
            List<String> names = CollidingNames.of(n);
            names.forEach(name -> message.add(MessageElement.ofText(name, "x").withNamespace(namespace)));
            message.add(
                    MessageElement.of("Answer", new byte[Long.BYTES]).withNamespace(ResolverMessageFormat.NAMESPACE));
            Message built = message.build();
            return () -> catchThrowable(() -> ResolverMessageFormat.read(built));
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"Name", "Time", "Text"})
    void faultyElements(String name) {
        ProcessorTime.assertLinear("elements " + name, 4000, n -> {
            Message message = Message.builder()
                    .add(MessageElement.of("Ask", new byte[Long.BYTES]).withNamespace(ResolverMessageFormat.NAMESPACE))
                    .add(MessageElement.ofText(name, "\u202e".repeat(n)).withNamespace(ResolverMessageFormat.NAMESPACE))
                    .build();
            return () -> catchThrowable(() -> ResolverMessageFormat.read(message));
        });
    }

    @Test
    void queries_withIdsOfOneHash() {
        PeerId from = Identity.generate().peerId();
        ProcessorTime.assertLinear("ids", 250, n -> () -> {
            DuplicateFilter<QueryServer.QueryKey> received =
                    new DuplicateFilter<>(Integer.MAX_VALUE, Duration.ofMinutes(2), new ManualScheduler());
            for (long i = 0; i < n; i++) {
                received.add(new QueryServer.QueryKey(from, i << 32 | i)); // Long.hashCode is 0
            }
        });
    }
}
