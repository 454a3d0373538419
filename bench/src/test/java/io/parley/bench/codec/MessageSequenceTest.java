package io.parley.bench.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.bench.workload.Workload;
import io.parley.message.Message;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

final class MessageSequenceTest {

    private static final int LEARNING = 100;

    /** What the constructor does: whatever is measured is right as well. */
    static Stream<Arguments> everyFormatAndKind() {
        return Stream.of(CodecFormat.values())
                .flatMap(format ->
                        Stream.of("binary-64k", "employees-250").map(composition -> Arguments.of(format, composition)));
    }

    @ParameterizedTest
    @MethodSource("everyFormatAndKind")
    void decode_givesTheMessagesOfTheConversationAgainAndAgain(CodecFormat format, String name) {
        Workload composition = Workload.named(name);
        try (MessageSequence conversation = new MessageSequence(format, composition)) {
            Message first = conversation.decode();
            assertThat(first).isEqualTo(composition.message(0));
            Message next = conversation.decode();
            for (int i = 2; !next.equals(first); i++) {
                assertThat(next).as("message %d", i - 1).isEqualTo(composition.message(i - 1));
                next = conversation.decode();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(CodecFormat.class)
    void encode_afterTheEnd_beginsAgain(CodecFormat format) {
        try (MessageSequence conversation = new MessageSequence(format, Workload.named("binary-64k"))) {
            int[] once = IntStream.range(0, 256).map(i -> conversation.encode()).toArray();
            int[] again =
                    IntStream.range(0, 256).map(i -> conversation.encode()).toArray();

            assertThat(again).isEqualTo(once);
        }
    }

    @Test
    void smallXml_inText_isAboutOneKilobyte() {
        assertThat(IntStream.of(sizes(CodecFormat.XML, "small-xml")).boxed())
                .allSatisfy(bytes -> assertThat(bytes).isBetween(1000, 1300));
    }

    @Test
    void smallXml_afterTheFirstHundred_isAThirdOfTheText() {
        int[] text = sizes(CodecFormat.XML, "small-xml");
        int[] retained = sizes(CodecFormat.FAST_INFOSET_RETAINED, "small-xml");

        assertThat((double) IntStream.of(retained).sum() / IntStream.of(text).sum())
                .isLessThan(0.35);
    }

    private static int[] sizes(CodecFormat format, String composition) {
        return EncodedSizes.of(format, Workload.named(composition), LEARNING, LEARNING);
    }
}
