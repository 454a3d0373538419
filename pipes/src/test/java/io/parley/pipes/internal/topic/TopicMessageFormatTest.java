package io.parley.pipes.internal.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.endpoint.EndpointLimits;
import io.parley.error.ErrorCode;
import io.parley.error.PeerFaultException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.pipes.SubscriptionOptions;
import io.parley.pipes.SubscriptionOptions.Overflow;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopicMessageFormatTest {

    private static final Message SUBSCRIBE = TopicMessageFormat.write(new TopicMessage.Subscribe(
            7, new SubscriptionOptions(Overflow.DROP_OLDEST, 5, 6, Duration.ofMillis(1500))));

    @Test
    void messages_areReadAsTheyWereWritten() {
        List<TopicMessage> messages = List.of(
                new TopicMessage.Subscribe(-1, SubscriptionOptions.blocking()),
                new TopicMessage.Subscribe(Long.MIN_VALUE, SubscriptionOptions.newestOnly()),
                new TopicMessage.Subscribe(
                        1, new SubscriptionOptions(Overflow.DROP_OLDEST, 5, 6, Duration.ofMillis(1500))),
                new TopicMessage.Subscribe(2, SubscriptionOptions.DEFAULTS),
                new TopicMessage.Unsubscribe(3),
                new TopicMessage.Offer(),
                new TopicMessage.Accepted(4),
                new TopicMessage.Ended(5, ErrorCode.QUEUE_FULL),
                new TopicMessage.Missed(6, 7));
        for (TopicMessage message : messages) {
            assertThat(TopicMessageFormat.read(TopicMessageFormat.write(message)))
                    .isEqualTo(message);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "Type, 0",
        "Type, 7",
        "Overflow, 3",
        "Overflow, -1",
        "MaxMessages, 0",
        "MaxMessages, 1000001",
        "MaxBytes, 0",
        "MaxBytes, 67108865",
        "TimeToLive, 0",
        "TimeToLive, 31536000001"
    })
    void valuesOutOfRange_areRejected(String name, long value) {
        assertThatThrownBy(() -> TopicMessageFormat.read(with(name, bytes(value))))
                .isInstanceOf(PeerFaultException.class)
                .hasMessageContaining(name)
                .hasMessageContaining(Long.toString(value));
    }

    @ParameterizedTest
    @CsvSource({"Type", "Subscription", "Overflow", "MaxMessages", "MaxBytes"})
    void missingOrWrongElements_areRejected(String name) {
        assertThatThrownBy(() -> TopicMessageFormat.read(with(name, new byte[7])))
                .isInstanceOf(PeerFaultException.class);
        assertThatThrownBy(() -> TopicMessageFormat.read(without(name))).isInstanceOf(PeerFaultException.class);
    }

    @Test
    void timeToLive_withBlock_isRejected() {
        assertThatThrownBy(() -> TopicMessageFormat.read(with("Overflow", bytes(0))))
                .isInstanceOf(PeerFaultException.class);
        assertThatThrownBy(() -> SubscriptionOptions.blocking().withTimeToLive(Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(SubscriptionOptions.blocking().timeToLive()).isEqualTo(EndpointLimits.MAX_TIMEOUT);
    }

    private static byte[] bytes(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    private static Message without(String name) {
        return Message.of(SUBSCRIBE.elements().stream()
                .filter(element -> !element.name().equals(name))
                .toList());
    }

    private static Message with(String name, byte[] value) {
        return without(name).with(MessageElement.of(name, value).withNamespace(TopicMessageFormat.NAMESPACE));
    }
}
