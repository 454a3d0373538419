package io.parley.pipes;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.parley.testkit.HostileText;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;

/**
 * Parses inputs of a fuzzer as tickets. To run the fuzzer:
 *
 * <pre>JAZZER_FUZZ=1 mvn -pl pipes -am test -Dtest=PipeTicketFuzzTest -Dsurefire.failIfNoSpecifiedTests=false</pre>
 */
@Tag("fuzz")
final class PipeTicketFuzzTest {

    @FuzzTest(maxDuration = "60s")
    void parse(byte[] input) {
        PipeTicket ticket;
        try {
            ticket = PipeTicket.parse(new String(input, StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            HostileText.assertPrintable(e); // the only permitted exception
            return;
        }
        HostileText.assertPrintable(ticket.toString());
        if (!PipeTicket.parse(ticket.toString()).equals(ticket)) {
            throw new AssertionError("ticket changes in a round trip: " + ticket);
        }
    }
}
