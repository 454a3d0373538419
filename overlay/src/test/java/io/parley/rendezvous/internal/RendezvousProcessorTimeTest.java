package io.parley.rendezvous.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.parley.common.internal.DuplicateFilter;
import io.parley.discovery.internal.DiscoveryMessages;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.store.internal.StoreKey;
import io.parley.testkit.CollidingNames;
import io.parley.testkit.ManualScheduler;
import io.parley.testkit.ProcessorTime;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The processor time of the messages of rendezvous and of discovery is linear in their size, up to the limits. */
class RendezvousProcessorTimeTest {

    static Stream<Named<Consumer<Message>>> readers() {
        return Stream.of(
                Named.of("lease request", message -> LeaseRequest.read(message, 256)),
                Named.of("lease response", LeaseResponse::read),
                Named.of("peer view", PeerViewMessage::read),
                Named.of("search request", IndexSearchRequest::read),
                Named.of("search response", IndexSearchResponse::read),
                Named.of("publish request", PublishResponse::documents),
                Named.of("publish response", PublishResponse::read),
                Named.of("page request", DiscoveryMessages::readRequest),
                Named.of("page", DiscoveryMessages::readPage));
    }

    /** Most of these messages are malformed. A failure must not cost more. */
    @ParameterizedTest
    @MethodSource("readers")
    void manyElements(Consumer<Message> reader) {
        List<String> names = CollidingNames.of(64);
        ProcessorTime.assertLinear("elements", 2000, n -> {
            Message.Builder message = Message.builder();
            for (int i = 0; i < n; i++) {
                String namespace = i % 2 == 0 ? RendezvousElements.NAMESPACE : "parley.discovery";
                String name = i % 3 == 0 ? RendezvousElements.DOCUMENT : names.get(i % names.size());
                message.add(MessageElement.ofText(name, "x").withNamespace(namespace));
            }
            Message built = message.build();
            return () -> catchThrowable(() -> reader.accept(built));
        });
    }

    @Test
    void groups() {
        ProcessorTime.assertLinear("groups", 64, n -> {
            Message.Builder message = Message.builder().add(RendezvousElements.number("Time", 1000));
            for (int i = 0; i < n; i++) {
                message.add(RendezvousElements.group(GroupId.ofName("group " + i)));
            }
            Message built = message.build();
            return () -> catchThrowable(() -> LeaseRequest.read(built, 256));
        });
    }

    @Test
    void groupMessages_withNumbersOfOneHash() {
        PeerId sender = Identity.generate().peerId();
        ProcessorTime.assertLinear("numbers", 250, n -> () -> {
            DuplicateFilter<SignedGroupMessage.Key> received =
                    new DuplicateFilter<>(Integer.MAX_VALUE, Duration.ofMinutes(2), new ManualScheduler());
            for (long i = 0; i < n; i++) {
                received.add(new SignedGroupMessage.Key(sender, i << 32 | i)); // Long.hashCode is 0
            }
        });
    }

    @Test
    void entriesOfTheIndex_withNamesOfOneHash() {
        PeerId publisher = Identity.generate().peerId();
        ProcessorTime.assertLinear("entries", 250, n -> {
            List<StoreKey> keys = CollidingNames.of(n).stream()
                    .map(name -> new StoreKey(GroupId.NET, "t", name))
                    .toList();
            return () -> {
                IndexQuotas quotas = new IndexQuotas(Long.MAX_VALUE, peer -> "host");
                keys.forEach(key -> quotas.put(publisher, key, true, 100, 100, Long.MAX_VALUE));
            };
        });
    }

    /** A client whose quota is full publishes again each time that one of its entries has expired. */
    @Test
    void entriesOfTheIndex_thatExpireOneAfterAnother() {
        PeerId publisher = Identity.generate().peerId();
        StoreKey next = new StoreKey(GroupId.NET, "t", "next");
        ProcessorTime.assertLinear("entries", 250, n -> {
            List<StoreKey> keys = CollidingNames.of(n).stream()
                    .map(name -> new StoreKey(GroupId.NET, "t", name))
                    .toList();
            return () -> {
                IndexQuotas quotas = new IndexQuotas(Long.MAX_VALUE, peer -> "host");
                for (int i = 0; i < n; i++) {
                    quotas.put(publisher, keys.get(i), true, 100, 100, i);
                }
                for (int i = 0; i < n; i++) {
                    assertThat(quotas.hasRoom(publisher, next, 100, n - i, Long.MAX_VALUE, i))
                            .isTrue();
                }
                assertThat(quotas.size()).isZero();
            };
        });
    }
}
