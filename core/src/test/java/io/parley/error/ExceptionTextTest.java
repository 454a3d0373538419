package io.parley.error;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.testkit.HostileText;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An exception is printable, whatever it quotes. */
class ExceptionTextTest {

    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void message_withHostileText_isPrintable(ErrorCode code) {
        ParleyException failure = code.exception("rejected by the remote peer: " + HostileText.TEXT);

        HostileText.assertPrintable(failure);
        assertThat(failure)
                .hasMessageStartingWith("rejected by the remote peer: a ")
                .hasMessageEndingWith("z");
    }

    @Test
    void message_inAnyLanguage_isKept() {
        String text = "Wie wird das Wetter? \u5929\u6c17\u306f\uff1f \ud83c\udf27";
        assertThat(ErrorCode.BUSY.exception(text)).hasMessage(text);
    }

    @Test
    void cause_withHostileText_isReplacedByAPrintableCopy() {
        Exception root = new NumberFormatException(HostileText.TEXT);
        Exception cause = new IOException("middle", root);

        ParleyException failure = ErrorCode.MALFORMED_MESSAGE.exception("malformed", cause);

        HostileText.assertPrintable(failure);
        assertThat(failure.getCause()).hasToString("java.io.IOException: middle");
        assertThat(failure.getCause().getStackTrace()).isEqualTo(cause.getStackTrace());
        assertThat(failure.getCause().getCause().toString()).startsWith("java.lang.NumberFormatException: a ");
    }

    @Test
    void cause_withHostileSuppressedFailure_isReplacedByAPrintableCopy() {
        Exception cause = new IOException("closed");
        cause.addSuppressed(new IOException(HostileText.TEXT));
        HostileText.assertPrintable(ErrorCode.BUSY.exception("busy", cause));
    }

    @Test
    void cause_withSuppressedFailureThatHasAHostileCause_isReplacedByAPrintableCopy() {
        Exception cause = new IOException("closed");
        cause.addSuppressed(new IOException("again", new IOException(HostileText.TEXT)));
        HostileText.assertPrintable(ErrorCode.BUSY.exception("busy", cause));
    }

    @Test
    void cause_printable_isKept() {
        Exception cause = new IOException("disk", new IllegalStateException("full"));
        assertThat(ErrorCode.BUSY.exception("busy", cause).getCause()).isSameAs(cause);
    }

    @Test
    void cause_thatIsParleyException_isKept() {
        ParleyException cause = ErrorCode.BUSY.exception(HostileText.TEXT, new IOException(HostileText.TEXT));
        ParleyException failure = ErrorCode.LOST.exception("lost", cause);

        assertThat(failure.getCause()).isSameAs(cause);
        assertThat(ErrorCode.LOST
                        .exception("lost", new IOException(HostileText.TEXT, cause))
                        .getCause()
                        .getCause())
                .isSameAs(cause);
        HostileText.assertPrintable(failure);
    }

    @Test
    void cause_withACycle_isCut() {
        Exception one = new IOException("one");
        Exception other = new IOException("other", one);
        one.initCause(other);
        HostileText.assertPrintable(ErrorCode.BUSY.exception("busy", other));
    }
}
