package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.identity.Identity;
import io.parley.testkit.ProcessorTime;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The processor time of a ticket is linear in its size, which has no limit, because users paste tickets. */
@Tag("extended")
class PipeTicketProcessorTimeTest {

    private static final String PIPE = PipeId.ofName(GroupId.NET, "forecast").text();
    private static final String PEER = Identity.generate().peerId().text();

    /** Repeats a part of a ticket. Most of these texts are not tickets. A failure must not cost more. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "spaces before     | NOTHING              | SPACE      | PIPE:PEER@tcp://a:1",
                "spaces after      | PIPE:PEER@tcp://a:1  | SPACE      | NOTHING",
                "spaces inside     | PIPE:                | SPACE      | PEER",
                "no separator      | NOTHING              | 1          | NOTHING",
                "separators        | NOTHING              | :          | NOTHING",
                "pipe id           | NOTHING              | a          | :PEER",
                "peer id           | PIPE:                | a          | @tcp://a:1",
                "URN               | urn:parley:          | a          | :PEER",
                "unprintable id    | PIPE:                | \u202e     | @tcp://a:1",
                "signs             | PIPE:PEER            | @          | NOTHING",
                "addresses         | PIPE:PEER@           | tcp://a:1, | tcp://a:1",
                "empty addresses   | PIPE:PEER@           | ,          | tcp://a:1",
                "scheme            | PIPE:PEER@           | a+         | ://a:1",
                "host              | PIPE:PEER@tcp://     | a.         | :1",
                "colons of a host  | PIPE:PEER@tcp://     | :          | NOTHING",
                "brackets          | PIPE:PEER@tcp://     | [          | ]:1",
                "IPv6 host         | PIPE:PEER@tcp://[    | 1:         | ]:1",
                "unprintable host  | PIPE:PEER@tcp://     | \u202e     | :1",
                "port              | PIPE:PEER@tcp://a:   | 1          | NOTHING"
            })
    void parts(String name, String head, String part, String tail) {
        ProcessorTime.assertLinear(name, 20_000, n -> {
            String text = text(head) + text(part).repeat(n) + text(tail);
            boolean isValid = name.startsWith("spaces");
            assertThat(catchThrowable(() -> PipeTicket.parse(text)) == null).isEqualTo(isValid);
            return () -> catchThrowable(() -> PipeTicket.parse(text));
        });
    }

    private static String text(String cell) {
        return cell.replace("NOTHING", "")
                .replace("SPACE", " ")
                .replace("PIPE", PIPE)
                .replace("PEER", PEER);
    }
}
