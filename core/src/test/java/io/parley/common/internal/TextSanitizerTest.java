package io.parley.common.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.error.ErrorCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TextSanitizerTest {

    @Test
    void quote_escapesAllExceptPrintableAscii_andClips() {
        assertThat(TextSanitizer.quote("a\"\u001b\u00e9")).isEqualTo("\"a\"\\u001b\\u00e9\"");
        assertThat(TextSanitizer.quote("x".repeat(81))).isEqualTo('"' + "x".repeat(80) + "...\"");
    }

    @Test
    void oneLine_keepsTextOfAnyLanguage() {
        String text = "Wie wird das Wetter? \u5929\u6c17\u306f\uff1f \ud83c\udf27";
        assertThat(TextSanitizer.oneLine(text)).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, '\n', 0x1b, 0x7f, 0x85, 0x9b, 0x2028, 0x2029, 0x202e, 0x2066, 0xd800, 0xe0001})
    void oneLine_harmfulCharacter_isReplaced(int codePoint) {
        assertThat(TextSanitizer.oneLine("a" + Character.toString(codePoint) + "b"))
                .isEqualTo("a b");
    }

    @ParameterizedTest
    @ValueSource(ints = {0x1b, 0x85, 0x9b, 0x2028, 0x202e})
    void statusOfARemotePeer_hasOneLine(int codePoint) {
        String text = "no " + Character.toString(codePoint) + "FATAL";
        assertThat(WireStatus.of(ErrorCode.BUSY, text).text()).isEqualTo("no  FATAL");
    }

    private static final class UndescribedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no description");
        }
    }

    @Test
    void failureThatCannotBeDescribed_hasAPrintableForm_withItsNameAndStackTrace() {
        Throwable failure = new UndescribedException();
        Throwable printable = TextSanitizer.printable(failure);
        assertThat(printable).hasToString(UndescribedException.class.getName());
        assertThat(printable.getStackTrace()).isEqualTo(failure.getStackTrace());
    }
}
