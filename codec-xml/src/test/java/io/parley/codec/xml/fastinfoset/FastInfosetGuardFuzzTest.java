package io.parley.codec.xml.fastinfoset;

import com.code_intelligence.jazzer.junit.FuzzTest;
import org.junit.jupiter.api.Tag;

/**
 * Passes inputs of a fuzzer to the guard, and accepted inputs to the parsers of the library, which must throw only
 * their checked exceptions and must stay within the limits. {@link FastInfosetMessageFuzzTest} documents how to run it.
 */
@Tag("fuzz")
final class FastInfosetGuardFuzzTest {
    private final GuardedParser parser = new GuardedParser(
            FastInfosetLimits.DEFAULTS.toBuilder().maxCharacters(100_000).build());

    @FuzzTest(maxDuration = "60s")
    void parseAcceptedDocument(byte[] input) {
        parser.parse(input);
    }
}
