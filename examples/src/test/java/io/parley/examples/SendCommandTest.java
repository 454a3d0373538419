package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.error.ErrorCode;
import io.parley.examples.console.Console;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class SendCommandTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final PeerId receiver = Identity.generate().peerId();

    private void refuse(boolean json) {
        Console console = new Console(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                json,
                false);
        SendCommand.reportFailure(
                console, receiver, ErrorCode.SERVICE_FAILED.exception("the receiver has refused the offer"), false);
    }

    @Test
    void transferThatTheReceiverRefuses_isANotice() {
        refuse(false);

        assertThat(out.toString(StandardCharsets.UTF_8)).isEmpty();
        assertThat(err.toString(StandardCharsets.UTF_8)).contains(receiver.shortText(), "the receiver has refused");
    }

    @Test
    void transferThatTheReceiverRefuses_withJson_isAnEvent() {
        refuse(true);

        assertThat(out.toString(StandardCharsets.UTF_8).strip())
                .isEqualTo("{\"event\":\"failed\",\"peer\":\"" + receiver.text()
                        + "\",\"error\":\"SERVICE_FAILED\",\"text\":\"the receiver has refused the offer.\"}");
        assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
    }
}
