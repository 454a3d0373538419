package io.parley.codec.xml.fastinfoset;

import com.code_intelligence.jazzer.junit.FuzzTest;
import org.junit.jupiter.api.Tag;

/**
 * Sends whatever a fuzzer thinks of through the guard, and what passes through the real library's parser, which must then
 * throw nothing but its checked exceptions and stay within bounds. Replayed and searched as
 * {@link FastInfosetMessageFuzzTest} is.
 */
@Tag("fuzz")
final class FastInfosetGuardFuzzTest {
    private final GuardedParser parser = new GuardedParser(
            FastInfosetLimits.DEFAULTS.toBuilder().maxCharacters(100_000).build());

    @FuzzTest(maxDuration = "60s")
    void parseWhatPasses(byte[] input) {
        parser.parse(input);
    }
}
