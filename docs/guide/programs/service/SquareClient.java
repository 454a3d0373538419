import io.parley.Peer;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.Pipes;
import java.time.Duration;

/** Requests the squares of 1 to COUNT, whoever offers them: SquareClient RENDEZVOUS COUNT */
public class SquareClient {

    public static void main(String[] args) throws Exception {
        try (Peer peer = Peer.wan().listen("tcp://0.0.0.0:0").multicast(false).rendezvous(args[0]).start()) {
            Pipes services = Pipes.of(peer).withResending(); // a square may be computed twice
            PeerId holder = null;
            for (long n = 1; n <= Long.parseLong(args[1]); n++) {
                PipeMessage response = services.request("square", Message.of("n", "" + n), Duration.ofMinutes(2));
                if (Long.parseLong(response.text("square").orElseThrow()) != n * n) {
                    throw new IllegalStateException("wrong square of " + n);
                }
                if (!response.from().equals(holder)) {
                    holder = response.from();
                    System.out.println("from " + n + " on by " + holder);
                }
                Thread.sleep(10);
            }
            System.out.println("all " + args[1] + " squares are right");
        }
    }
}
