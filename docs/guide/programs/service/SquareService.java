import io.parley.Peer;
import io.parley.message.Message;
import io.parley.pipes.Pipes;
import java.nio.file.Path;

/** Offers the service "square" until it is killed: SquareService RENDEZVOUS HOME */
public class SquareService {

    public static void main(String[] args) throws Exception {
        try (Peer peer = Peer.wan().listen("tcp://0.0.0.0:0").multicast(false)
                .rendezvous(args[0]).home(Path.of(args[1])).start()) {
            Pipes.of(peer).serve("square", request -> {
                long n = Long.parseLong(request.text("n").orElseThrow());
                return Message.of("square", Long.toString(n * n));
            });
            System.out.println("serving at " + peer.address());
            Thread.currentThread().join();
        }
    }
}
