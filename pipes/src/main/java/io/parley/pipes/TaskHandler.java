package io.parley.pipes;

/** Executes the tasks of a {@link WorkQueue}. */
@FunctionalInterface
public interface TaskHandler {

    /**
     * Executes a task. The sender removes the task when this method has returned. May block, unless the executor of the worker is a
     * direct one. The same task may be executed more than once: {@link PipeMessage#attempt} is greater than 1 if it may have been
     * executed before, here or at another worker.
     *
     * @throws io.parley.error.ApplicationException if the task failed. The sender gets the code and the text, and sends the task to a
     *     worker again, unless the attempts are used up
     * @throws Exception if the task failed. The sender gets the name of the class of the exception, and not its text
     */
    void handle(PipeMessage task) throws Exception;
}
