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

    private static final int WARM_UP = 100;
    private static final int MESSAGES = 16;

    /** The constructor checks these messages too, so that only correct results are measured. */
    static Stream<Arguments> formatsAndWorkloads() {
        return Stream.of(CodecFormat.values())
                .flatMap(format ->
                        Stream.of("binary-64k", "employees-250").map(workload -> Arguments.of(format, workload)));
    }

    @ParameterizedTest
    @MethodSource("formatsAndWorkloads")
    void decode_afterTheLastMessage_restartsTheSequence(CodecFormat format, String name) {
        Workload workload = Workload.named(name);
        try (MessageSequence sequence = new MessageSequence(format, workload, MESSAGES)) {
            Message first = sequence.decode();
            assertThat(first).isEqualTo(workload.message(0));
            Message next = sequence.decode();
            for (int i = 2; !next.equals(first); i++) {
                assertThat(next).as("message %d", i - 1).isEqualTo(workload.message(i - 1));
                next = sequence.decode();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(CodecFormat.class)
    void encode_afterTheLastMessage_restartsTheSequence(CodecFormat format) {
        try (MessageSequence sequence = new MessageSequence(format, Workload.named("binary-64k"), MESSAGES)) {
            int[] once =
                    IntStream.range(0, MESSAGES).map(i -> sequence.encode()).toArray();
            int[] again =
                    IntStream.range(0, MESSAGES).map(i -> sequence.encode()).toArray();

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

    private static int[] sizes(CodecFormat format, String workload) {
        return EncodedSizes.of(format, Workload.named(workload), WARM_UP, WARM_UP);
    }
}
