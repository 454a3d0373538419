package io.parley.error;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ErrorCodeTest {
    private static final Set<ErrorCode> NEVER_SENT = EnumSet.of(
            ErrorCode.DISCONNECTED,
            ErrorCode.LOCAL_LIMIT,
            ErrorCode.REJECTED_BY_PEER,
            ErrorCode.HOME_IN_USE,
            ErrorCode.APPLICATION_ERROR);

    @Test
    void errorsDocument_listsEachCodeWithNumberAndException() throws IOException {
        Pattern row = Pattern.compile("(?m)^\\| `([A-Z_]+)` \\| (\\d+) \\| `(\\w+)` \\| \\S.*\\S \\| \\S.*\\S \\|$");

        List<String> documented = row.matcher(read("errors.md"))
                .results()
                .map(match -> match.group(1) + ' ' + match.group(2) + ' ' + match.group(3))
                .toList();

        assertThat(documented)
                .containsExactlyElementsOf(Arrays.stream(ErrorCode.values())
                        .map(code -> code.name()
                                + ' '
                                + code.number()
                                + ' '
                                + code.exception("").getClass().getSimpleName())
                        .toList());
    }

    @Test
    void wireFormatDocument_listsEachCodeWithNumber() throws IOException {
        String document = read("wire-format.md");
        String section = document.substring(document.indexOf("### Error codes"));
        String table = section.substring(0, section.indexOf("\n\n", section.indexOf("| --- |")));

        List<String> documented = Pattern.compile("(\\d+) \\| ([A-Z_]+)")
                .matcher(table)
                .results()
                .map((MatchResult match) -> match.group(1) + ' ' + match.group(2))
                .toList();

        assertThat(documented)
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(ErrorCode.values())
                        .map(code -> code.number() + " " + code.name())
                        .toList());
    }

    @Test
    void ofNumber_ofEachCode_isThatCode() {
        for (ErrorCode code : ErrorCode.values()) {
            assertThat(ErrorCode.ofNumber(code.number())).isEqualTo(code);
        }
        assertThat(ErrorCode.ofNumber(0)).isNull();
        assertThat(ErrorCode.ofWire(0)).isNull();
    }

    @Test
    void toWire_neverReturnsACodeThatIsNotSent() {
        for (ErrorCode code : ErrorCode.values()) {
            assertThat(code.toWire()).isNotIn(NEVER_SENT);
            if (!NEVER_SENT.contains(code)) {
                assertThat(code.toWire()).isEqualTo(code);
            }
        }
    }

    @Test
    void ofWire_closedObjectOfTheRemotePeer_isRetryable() {
        assertThat(ErrorCode.ofWire(ErrorCode.CLOSED.number())).isEqualTo(ErrorCode.DISCONNECTED);
        assertThat(ErrorCode.DISCONNECTED.exception("")).isInstanceOf(RetryableException.class);
        assertThat(ErrorCode.CLOSED.exception("")).isInstanceOf(InvalidCallException.class);
    }

    @Test
    void ofWire_fullQueueOfTheRemotePeer_isNotAFullQueueOfThisPeer() {
        assertThat(ErrorCode.ofWire(ErrorCode.QUEUE_FULL.number())).isEqualTo(ErrorCode.BUSY);
    }

    @Test
    void ofWire_configurationOfTheRemotePeer_isServiceFailed() {
        assertThat(ErrorCode.ofWire(ErrorCode.STORE_UNAVAILABLE.number())).isEqualTo(ErrorCode.SERVICE_FAILED);
        assertThat(ErrorCode.ofWire(ErrorCode.LOCAL_LIMIT.number())).isEqualTo(ErrorCode.SERVICE_FAILED);
        assertThat(ErrorCode.ofWire(ErrorCode.NOT_ENCODABLE.number())).isEqualTo(ErrorCode.SERVICE_FAILED);
    }

    @Test
    void ofWire_faultOfThisPeer_isNotAFaultOfTheRemotePeer() {
        assertThat(ErrorCode.ofWire(ErrorCode.LIMIT_EXCEEDED.number())).isEqualTo(ErrorCode.REJECTED_BY_PEER);
        assertThat(ErrorCode.ofWire(ErrorCode.MALFORMED_MESSAGE.number())).isEqualTo(ErrorCode.REJECTED_BY_PEER);
    }

    @Test
    void remedy_ofOutdatedDocuments_isNotToDropTheirSender() {
        for (ErrorCode code : List.of(ErrorCode.EXPIRED, ErrorCode.NOT_YET_VALID, ErrorCode.STALE_ADVERTISEMENT)) {
            assertThat(code.remedy()).isEqualTo(ErrorCode.Remedy.CHANGE_CALL);
        }
        assertThat(ErrorCode.LOCAL_LIMIT.remedy()).isEqualTo(ErrorCode.Remedy.CHANGE_CALL);
        assertThat(ErrorCode.LIMIT_EXCEEDED.remedy()).isEqualTo(ErrorCode.Remedy.DROP_PEER);
    }

    @Test
    void toString_containsClassCodeAndMessage() {
        assertThat(ErrorCode.BUSY.exception("no memory"))
                .hasToString("io.parley.error.RetryableException: BUSY: no memory");
    }

    @Test
    void applicationException_hasTheCodeOfTheApplication_andPrintableText() {
        ApplicationException failure = new ApplicationException(-7, "no\u001bcity");
        assertThat(failure.code()).isEqualTo(ErrorCode.APPLICATION_ERROR);
        assertThat(failure.applicationCode()).isEqualTo(-7);
        assertThat(failure.text()).isEqualTo("no city");
        assertThat(failure).hasToString("io.parley.error.ApplicationException: APPLICATION_ERROR -7: no city");
    }

    @Test
    void unwrap_removesTheExceptionsOfFutures() {
        ParleyException failure = ErrorCode.TIMEOUT.exception("late");

        assertThat(ParleyException.unwrap(new CompletionException(new ExecutionException(failure))))
                .isSameAs(failure);
        assertThat(ParleyException.unwrap(failure)).isSameAs(failure);
    }

    @Test
    void unchecked_returnsUncheckedFailures_andWrapsCheckedOnes() {
        ParleyException failure = ErrorCode.TIMEOUT.exception("late");
        IOException checked = new IOException("disk");
        AssertionError error = new AssertionError("fault");

        assertThat(ParleyException.unchecked(new ExecutionException(failure))).isSameAs(failure);
        assertThat(ParleyException.unchecked(new ExecutionException(checked)))
                .isInstanceOf(CompletionException.class)
                .hasCause(checked);
        assertThatThrownBy(() -> ParleyException.unchecked(new CompletionException(error)))
                .isSameAs(error);
    }

    private static String read(String document) throws IOException {
        Path inRoot = Path.of("docs", document);
        return Files.readString(Files.exists(inRoot) ? inRoot : Path.of("..").resolve(inRoot));
    }
}
