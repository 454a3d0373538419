import io.parley.Peer;
import io.parley.message.Message;
import io.parley.pipes.Pipes;
import io.parley.pipes.TaskSender;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Sends COUNT tasks, and waits until all are executed: Foreman RENDEZVOUS COUNT */
public class Foreman {

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[1]);
        AtomicInteger executed = new AtomicInteger();
        try (Peer peer = Peer.wan().listen("tcp://0.0.0.0:0").multicast(false).rendezvous(args[0]).start();
                TaskSender tasks = Pipes.of(peer).workQueue("render").openSender()) {
            for (int n = 1; n <= count; n++) {
                String scene = "scene-" + n;
                tasks.send(Message.of("scene", scene), Duration.ofMinutes(2)).whenComplete((done, failure) -> {
                    if (failure != null) {
                        System.out.println(scene + " failed: " + failure.getMessage());
                        return;
                    }
                    int sum = executed.incrementAndGet(); // tasks may end on several threads at the same time
                    if (sum % 100 == 0) {
                        System.out.println(sum + " tasks executed");
                    }
                });
            }
            tasks.whenIdle().get(10, TimeUnit.MINUTES);
        }
        System.out.println("all sent, " + executed + " tasks executed");
    }
}
