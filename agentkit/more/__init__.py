"""What goes beyond the course: loaded only when it is asked for, so that `import agentkit` stays light.

openai, functions, environment   other models, and the one that the environment names
journal                          replay a trace without a model; go on with a run that was killed
recover, constrain, context      help for small models: calls written as text, a forced call, a full window
guards                           ready-made reasons to stop a run
claims and its neighbours        which facts an answer states, and which tool result each came from
"""
